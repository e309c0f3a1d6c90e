"""What a hostile agent may send: payloads (the data files here), and sessions with each of them in every text field."""
