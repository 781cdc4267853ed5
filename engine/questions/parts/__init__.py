"""What questions and answers are made of: fields, texts, and what answers are made with."""
