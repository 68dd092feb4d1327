"""Mutation testing: do the tests notice when the code is wrong?

``python proof/mutation`` breaks the package in one small place at a time (which parts of it:
:mod:`mutation.places`) and runs the tests that reach the place, the quickest first, until one
fails. A mutant that all of them pass has survived; ``survivors.toml`` says why. Files are never
changed: a mutant exists only in the import system of a forked process, and of those that it starts.

* Population: all changes of :mod:`mutation.operators`, about 30,000; :mod:`mutation.population`.
* Sample: mutants drawn at random by a seed; the share killed has Wilson's 95 % interval.
* Tests: those that reach the line, told apart by coverage (:mod:`mutation.mapping`). For what
  runs at import all tests count, half of the time being for those that reach the module.
* Against the tests: a mutant counts as survived when it outlives the quickest tests that take
  40 s together, though slower ones may have noticed it; tests marked slow and those that drive a
  browser do not take part; and mutants that change no result (another route to the same number)
  stay in the count.
* For the tests: a mutant that makes a test run ten times as long and 20 s more is killed, and
  counted apart as timed out.

It is a small tool of its own because mutmut 3 changes nothing outside functions, where half of a
metric is declared, and Cosmic Ray starts the command of the tests anew for each mutant, and with it
the import of compiled code; and because the sample must be the same for the same seed.
"""
