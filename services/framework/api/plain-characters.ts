/**
 * Digits of all scripts, and the wide forms that East Asian keyboards write, as plain ones: '١٢٣' and '１２３' are '123'.
 * All else stays as it is; '²' is no digit.
 */
export function plainCharacters(text: string): string {
  return text.replace(/[！-～]/g, plainForm).replace(/\p{Nd}/gu, plainDigit)
}

/** The wide forms stand in the order of the plain ones. */
const plainForm = (wide: string) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0)

/** Unicode has the ten digits of a script in a row, from zero on, and some rows follow each other. */
function plainDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0
  let first = point
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--
  return String((point - first) % 10)
}
