"""The entry for packages that build on dof: `dof.pde` uses the public operators and this module, nothing else.

    Call                          a function with its arguments, some of which are x
    prepare, propagate_prepared   a propagation in two steps: directions from coefficients, then through a function
    Prepared, Propagated          the results of the two steps
    Coefficients, Coordinates     an operator's coefficients a, b, c at x, over the N coordinates of x
    Diagonal, Blocks, LowRank     the three forms of A
    factor, dense_rows            A = Lᵀ Q L, and the rows of L as one array
    full_triple, value_as_array   what is read off an output of a propagation
    HigherOrder, Symbol           operators of any order, and what they are at x: polynomials in ∂
    symbol_at, symbol_of          the symbol of an operator at x, or of monomials
    combined_symbol, common_span  sums of symbols, and the columns that several need
    propagate_symbols             a propagation of these columns through a function
    propagate_operators           a propagation of operators of any order, by whatever way is cheaper
    MOST_PRODUCTS, MOST_MONOMIALS limits above which columns are too many
    columns_text                  what columns are, in words
    contract_dense                the same operator from gradient and Hessian, to compare with
    nested_autodiff               an operator of any order by nested differentiation, to compare with
    linear_arguments, Role        which arguments enter a traced program linearly
    known_results, is_known       what is known while tracing
    index_beyond                  an index of a traced program that is beyond its axis

All of it is for one point x, and can be used under `jax.jit` and `jax.vmap`.
"""

from dof.api.nested_autodiff import contract_dense, nested_autodiff
from dof.directions.factor import DENSE_LIMIT, factor
from dof.directions.known_while_tracing import is_known
from dof.directions.matrix_forms import Blocks, Diagonal, LowRank, Matrix, arrays_of, is_known_matrix, map_entries
from dof.directions.sparse_rows import dense_rows
from dof.jax_compat import Closed, as_function, enable_x64, is_traced, trace_of, typed_like, vary_as
from dof.jaxpr.indices_beyond import index_beyond
from dof.jaxpr.known_results import known_results
from dof.jaxpr.linearity import Role, linear_arguments
from dof.jets.readout import common_span
from dof.operators.coefficients import Coefficients
from dof.operators.coordinates import Coordinates
from dof.operators.higher_order import HigherOrder
from dof.operators.symbol_at import Symbol, combined_symbol, symbol_at, symbol_of
from dof.pipeline.any_order import propagate_symbols
from dof.pipeline.columns_or_nesting import MOST_MONOMIALS, MOST_PRODUCTS
from dof.pipeline.function_of_x import Call
from dof.pipeline.order_two import propagate_prepared
from dof.pipeline.prepare import Prepared, prepare
from dof.pipeline.propagate import propagate_operators
from dof.pipeline.propagated import Propagated
from dof.symbols.text import columns_text
from dof.triples.readout import full_triple, value_as_array

__all__ = [
    "DENSE_LIMIT",
    "MOST_MONOMIALS",
    "MOST_PRODUCTS",
    "Blocks",
    "Call",
    "Closed",
    "Coefficients",
    "Coordinates",
    "Diagonal",
    "HigherOrder",
    "LowRank",
    "Matrix",
    "Prepared",
    "Propagated",
    "Role",
    "Symbol",
    "arrays_of",
    "as_function",
    "columns_text",
    "combined_symbol",
    "common_span",
    "contract_dense",
    "dense_rows",
    "enable_x64",
    "factor",
    "full_triple",
    "index_beyond",
    "is_known",
    "is_known_matrix",
    "is_traced",
    "known_results",
    "linear_arguments",
    "map_entries",
    "nested_autodiff",
    "prepare",
    "propagate_operators",
    "propagate_prepared",
    "propagate_symbols",
    "symbol_at",
    "symbol_of",
    "trace_of",
    "typed_like",
    "value_as_array",
    "vary_as",
]
