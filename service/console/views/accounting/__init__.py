"""The pages of money: balances, payments, the journal, and statements."""
