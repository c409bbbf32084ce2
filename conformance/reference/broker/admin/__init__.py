"""The reference broker's topics, configs, ACLs and quotas."""
