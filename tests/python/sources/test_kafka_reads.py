"""The views by which Spark reads what lies between offsets of Kafka."""

from __future__ import annotations

from ticdc_udfs.sources.reads import Range, ReadFeed, Reading, views

SERVERS = "broker:9092"


def test_a_view_reads_the_ranges_of_its_feed_alone() -> None:
    feeds = [ReadFeed("shop", {"bootstrap_servers": SERVERS}), ReadFeed("idle", {"bootstrap_servers": SERVERS})]
    ranges = [Range("shop", "it's", 0, 3, 9), Range("shop", "it's", 2, 0, 1), Range("shop", "t", 0, 5, 7)]
    (view,) = views(Reading(feeds), ranges)
    assert view.statement == (
        "create or replace temporary view ticdc__kafka_shop using kafka options ("
        r"""'assign' '{"it\'s":[0,2],"t":[0]}', """
        r"""'startingOffsets' '{"it\'s":{"0":3,"2":0},"t":{"0":5}}', """
        r"""'endingOffsets' '{"it\'s":{"0":9,"2":1},"t":{"0":7}}', """
        "'failOnDataLoss' 'true', 'maxRecordsPerPartition' '200000', "
        "'kafka.bootstrap.servers' 'broker:9092', 'kafka.isolation.level' 'read_committed')"
    )
    assert view.query == (
        "select 'shop' as feed, topic, `partition`, `offset`, cast(`timestamp` as timestamp_ltz) as message_at, key, "
        "value from ticdc__kafka_shop"
    )


def test_what_is_read_again_may_be_gone() -> None:
    reading = Reading([ReadFeed("Shop", {"bootstrap_servers": SERVERS})], again=True)
    (view,) = views(reading, [Range("Shop", "t", 0, 1, 2)])
    assert view.statement.startswith("create or replace temporary view `ticdc__kafka_Shop_again` ")
    assert "'failOnDataLoss' 'false'" in view.statement
    assert view.query.endswith(" from `ticdc__kafka_Shop_again`")


def test_nothing_is_read_where_nothing_is_new() -> None:
    assert not views(Reading([ReadFeed("shop", {"bootstrap_servers": SERVERS})]), [])
