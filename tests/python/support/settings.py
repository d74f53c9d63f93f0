"""Settings of Spark that change nothing of what the package stores, each with another value than by default."""

from __future__ import annotations

_ON = """
    caseSensitive parquet.writeLegacyFormat parquet.int96TimestampConversion parquet.binaryAsString
    parquet.mergeSchema parquet.fieldId.read.enabled parquet.respectSummaryFiles parquet.aggregatePushdown
    legacy.parquet.nanosAsLong charAsVarchar legacy.charVarcharAsString legacy.createHiveTableByDefault
    legacy.castComplexTypesToString.enabled legacy.typeCoercion.datetimeToString.enabled
    legacy.allowHashOnMapType legacy.exponentLiteralAsDecimal.enabled
    legacy.decimal.retainFractionDigitsOnTruncate
    legacy.fromDayTimeString.enabled legacy.interval.enabled legacy.keepCommandOutputSchema
    legacy.keepPartitionSpecAsStringLiteral legacy.parseNullPartitionSpecAsStringLiteral
    legacy.skipTypeValidationOnAlterPartition legacy.json.allowEmptyString.enabled
    legacy.json.enableDateTimeParsingFallback ansi.relationPrecedence function.concatBinaryAsString
    function.eltOutputAsString datetime.java8API.enabled hive.dropPartitionByName.enabled
    legacy.codingErrorAction legacy.javaCharsets legacy.consecutiveStringLiterals.enabled
    legacy.negativeIndexInArrayInsert legacy.truncateForEmptyRegexSplit legacy.lpadRpadAlwaysReturnString
    legacy.setopsPrecedence.enabled legacy.inSubqueryNullability
    legacy.scalarSubqueryCountBugBehavior legacy.noCharPaddingInPredicate
"""
_OFF = """
    ansi.enabled parquet.inferTimestampNTZ.enabled hive.convertMetastoreParquet
    sources.partitionColumnTypeInference.enabled legacy.sizeOfNull legacy.literal.pickMinimumPrecision
    decimalOperations.allowPrecisionLoss json.enablePartialResults jsonGenerator.ignoreNullFields
    groupByOrdinal orderByOrdinal crossJoin.enabled legacy.followThreeValuedLogicInArrayExists
    readSideCharPadding lateralColumnAlias.enableImplicitResolution parquet.int96AsTimestamp
    execution.pyspark.binaryAsBytes variable.substitute
"""
_OTHER = {
    "session.timeZone": "America/New_York",
    "parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "parquet.datetimeRebaseModeInRead": "EXCEPTION",
    "parquet.int96RebaseModeInRead": "EXCEPTION",
    "storeAssignmentPolicy": "LEGACY",
    "sources.default": "orc",
    "legacy.timeParserPolicy": "LEGACY",
    "mapKeyDedupPolicy": "LAST_WIN",
    "binaryOutputStyle": "HEX",
    "sources.partitionOverwriteMode": "DYNAMIC",
    "timestampType": "TIMESTAMP_NTZ",
    "columnNameOfCorruptRecord": "state",
    "orc.impl": "hive",
}
HARMLESS = {
    f"spark.sql.{name}": value
    for name, value in {**dict.fromkeys(_ON.split(), "true"), **dict.fromkeys(_OFF.split(), "false"), **_OTHER}.items()
}
