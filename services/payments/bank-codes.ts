import { isValidBIC, ValidationErrorsIBAN, validateIBAN } from 'ibantools'

/** IBANs and BICs as people type and copy them: of traders, and of the firm. */

/** Without blanks, of which web pages have no-break ones, and with plain digits and letters for wide ones. */
function withoutBlanks(text: string): string {
  return text.normalize('NFKC').replace(/\s/gu, '')
}

/** Without blanks, dashes and the word before it, in capital letters. */
export function normalIban(text: string): string {
  return withoutBlanks(text)
    .replace(/[\p{Pd}.]/gu, '')
    .toUpperCase()
    .replace(/^IBAN:?/, '')
}

/** Describes the fault of an IBAN, in words for the commonest slips; undefined where there is none. */
export function ibanFault(text: string): string | undefined {
  const { valid, errorCodes } = validateIBAN(normalIban(text))
  if (valid) return undefined
  if (errorCodes.includes(ValidationErrorsIBAN.NoIBANCountry)) return 'No country has an IBAN that begins like this'
  if (errorCodes.includes(ValidationErrorsIBAN.WrongBBANLength)) return 'This IBAN has too few or too many characters'
  return 'This IBAN is mistyped: its check digits do not fit'
}

/**
 * The 41 countries of SEPA by the letters that their IBANs begin with: EPC409-09, with Serbia since May 2026; looked up
 * on 27 November 2026. Libraries are years behind. Territories such as Jersey and Réunion have the letters of their
 * country, but for Gibraltar.
 */
const sepaCountries = new Set(
  (
    'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK ' + // European Union
    'IS LI NO CH GB GI AD MC SM VA ' +
    'AL MD ME MK RS'
  ).split(' '),
)

/** Whether a SEPA transfer can reach an IBAN in its normal form. */
export function isInSepa(iban: string): boolean {
  return sepaCountries.has(iban.slice(0, 2))
}

/** Without blanks, in capital letters. */
export function normalBic(text: string): string {
  return withoutBlanks(text).toUpperCase()
}

export function bicFault(text: string): string | undefined {
  return isValidBIC(normalBic(text)) ? undefined : 'Please enter a valid BIC of 8 or 11 characters'
}
