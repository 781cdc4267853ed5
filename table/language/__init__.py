"""The expression language: grammar, terms, lowering to postfix, criteria and explanations."""
