// For itself, as releases before 1.35 have no transactions.
package main

import "github.com/IBM/sarama"

func init() { actions["transact"] = transact }

func transact(bootstrap []string, config *sarama.Config) error {
	config.Version = sarama.MaxVersion
	config.Producer.Idempotent = true
	config.Producer.Transaction.ID = "tx-a"
	config.Net.MaxOpenRequests = 1
	producer, err := sarama.NewSyncProducer(bootstrap, config)
	if err != nil {
		return err
	}
	defer producer.Close()
	if err := producer.BeginTxn(); err != nil {
		return err
	}
	key, value := sarama.StringEncoder("k"), sarama.StringEncoder("v")
	message := &sarama.ProducerMessage{Topic: events, Key: key, Value: value}
	if _, _, err := producer.SendMessage(message); err != nil {
		return err
	}
	offset := &sarama.PartitionOffsetMetadata{Partition: 0, Offset: 1}
	offsets := map[string][]*sarama.PartitionOffsetMetadata{events: {offset}}
	if err := producer.AddOffsetsToTxn(offsets, "group-a"); err != nil {
		return err
	}
	return producer.CommitTxn()
}
