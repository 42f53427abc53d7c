"""What a solution obeys besides the equation: conditions, own residuals, data; as loss terms or by construction."""
