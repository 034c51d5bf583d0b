import fc from 'fast-check'

/**
 * Any text in Unicode, also with control and unassigned characters. The same as `fc.string({ unit: 'binary' })`, which
 * spends a second per process on a table of all characters.
 */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter })

/** Every code point but the halves of surrogate pairs. */
const anyCharacter = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
