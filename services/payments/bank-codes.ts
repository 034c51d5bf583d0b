import { electronicFormatIBAN, isValidBIC, ValidationErrorsIBAN, validateIBAN } from 'ibantools'

/** IBANs and BICs as people type them: of traders, and of the firm. */

/** Without spaces and hyphens, in capital letters. */
export function normalIban(text: string): string {
  return electronicFormatIBAN(text) ?? ''
}

/** Describes the fault of an IBAN, in words for the commonest slips; undefined where there is none. */
export function ibanFault(text: string): string | undefined {
  const { valid, errorCodes } = validateIBAN(normalIban(text))
  if (valid) return undefined
  if (errorCodes.includes(ValidationErrorsIBAN.NoIBANCountry)) return 'No country has an IBAN that begins like this'
  if (errorCodes.includes(ValidationErrorsIBAN.WrongBBANLength)) return 'This IBAN has too few or too many characters'
  return 'This IBAN is mistyped: its check digits do not fit'
}

/** Without spaces, in capital letters. */
export function normalBic(text: string): string {
  return text.toUpperCase().replaceAll(' ', '')
}

export function bicFault(text: string): string | undefined {
  return isValidBIC(normalBic(text)) ? undefined : 'Please enter a valid BIC of 8 or 11 characters'
}
