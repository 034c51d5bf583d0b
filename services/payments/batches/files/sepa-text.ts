import anyAscii from 'any-ascii'

/**
 * Text for SEPA, which has letters of English, digits and a few signs (EPC217-08): other letters become the nearest, an
 * ampersand a plus, and a sign without a likeness a full stop.
 */
export function sepaText(text: string, longest: number): string {
  return anyAscii(text.normalize('NFC'))
    .replaceAll('&', '+')
    .replaceAll('_', '-')
    .replaceAll('"', "'")
    .replaceAll(/[^A-Za-z0-9/\-?:().,'+ ]/g, '.')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/\/\/+/g, '/')
    .replaceAll(/^[ /]+|[ /]+$/g, '')
    .slice(0, longest)
    .replace(/[ /]+$/, '')
}

/** Whether a bank can read something of a text. */
export function hasSepaText(text: string): boolean {
  return /[A-Za-z0-9]/.test(sepaText(text, 70))
}
