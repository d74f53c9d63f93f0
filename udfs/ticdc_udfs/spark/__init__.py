"""What Spark gets: the list of UDFs."""
