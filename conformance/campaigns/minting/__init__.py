"""Golden vectors, minted by Apache Kafka's codecs and agreed to by ours."""
