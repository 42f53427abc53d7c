"""Which class `*` and `-` of two domains make."""

from __future__ import annotations

from dof.pde.geometry.combination import Combination, require_same_space
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.domain_with_hole import DomainWithHole, lies_inside
from dof.pde.geometry.product import Product


def difference_of(whole: Domain, hole: Domain) -> Domain:
    """The points of `whole` that are not in `hole`."""
    require_same_space(whole, hole, "difference")
    return DomainWithHole(whole, hole) if lies_inside(whole, hole) else Combination(whole, hole, "difference")


def product_of(first: Domain, second: Domain) -> Domain:
    """The product of two domains; that of a combination is the combination of products, whose areas are exact."""
    if isinstance(first, Combination):
        return Combination(first.first * second, first.second * second, first.kind)
    if isinstance(second, Combination):
        return Combination(first * second.first, first * second.second, second.kind)
    return Product(first, second)
