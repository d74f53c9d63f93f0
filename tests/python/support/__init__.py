"""What several tests share: the sample messages, the upstream truth beside them, and a reader of warehouses."""
