"""The whole way of a propagation.

    coefficients at x → directions and form → triples of x → interpreter → triples of f(x) → operators read off them

`propagate` starts it. Order two: `prepare` does what depends on the operators only, `order_two` what depends on the
function; a caller that needs the directions before f is traced (`dof.pde` compares several plans) calls the two one
after the other. Above order two: `any_order` carries the columns of symbols in place of triples, or applies the factors
of an operator one after the other, whichever `cheaper_way` counts as less.
"""
