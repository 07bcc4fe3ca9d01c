-- A start looks whether PROMPTREG_SECRET is the one under which webhook secrets were encrypted.
create index webhooks_by_secret_key on webhooks (secret_key_id) where deleted_at is null;
