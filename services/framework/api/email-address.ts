import { z } from 'zod'
import { unseenCharacter } from './unseen-characters.ts'

/** An email address, wherever one is typed: one function for bodies of calls, settings and the command line. */

/** The longest address that mail can be sent to (RFC 5321, 4.5.3.1.3). */
const LONGEST_EMAIL = 254

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"

/** A dot-atom before the @ (RFC 5321, 4.1.2); quoted text, and an address in brackets for a domain, are refused. */
const LOCAL_PART = `${ATOM}(?:\\.${ATOM})*`

/** The last label has letters only, or is an A-label (RFC 5890): `xn--p1ai`. */
const LAST_LABEL = '[A-Za-z]{2,}|[Xx][Nn]--[A-Za-z0-9-]*[A-Za-z0-9]'
const ADDRESS = new RegExp(`^\\s*${LOCAL_PART}@(?:[A-Za-z0-9][A-Za-z0-9-]*\\.)+(?:${LAST_LABEL})\\s*$`)

/**
 * The same as it is typed: labels may have letters of other scripts, and their full stops. With surrounding blanks. A
 * pattern rather than the format, which each tool interprets differently.
 */
const OTHER = '[^\\u0000-\\u007f\\s\u3002\uff0e\uff61]'
const TYPED_LABEL = `(?:[A-Za-z0-9]|${OTHER})(?:[A-Za-z0-9-]|${OTHER})*`
const TYPED = new RegExp(
  `^\\s*${LOCAL_PART}@(?:${TYPED_LABEL}[.\u3002\uff0e\uff61])+(?:${LAST_LABEL}|[A-Za-z0-9-]*${OTHER}(?:[A-Za-z0-9-]|${OTHER})*)\\s*$`,
)

/**
 * A trimmed email address, in the letter case that was entered. A domain in letters of other scripts becomes its
 * A-labels, which every mail server takes; letters of other scripts before the @ are refused.
 */
export function email(message: string) {
  // The length is checked first and aborts, so that no pattern runs over a long text.
  return (
    z
      .string({ error: message })
      .max(LONGEST_EMAIL, { error: message, abort: true })
      // It does not abort: what compares fields, such as two passwords, has its say beside it.
      .regex(TYPED, { error: message })
      .overwrite(withAsciiDomain)
      .refine((address) => !TYPED.test(address) || (address.length <= LONGEST_EMAIL && ADDRESS.test(address)), {
        error: message,
      })
      .trim()
  )
}

/** Converts U-labels of the domain to A-labels (UTS 46); a text that has none stays as it is. */
export function withAsciiDomain(text: string): string {
  const start = text.lastIndexOf('@') + 1
  const domain = text.slice(start).trim()
  if (start === 0 || /^\p{ASCII}*$/u.test(domain) || unseenCharacter(domain) !== undefined) return text
  // Only a URL converts in browsers, too.
  const url = `http://${domain}`
  return URL.canParse(url) ? `${text.slice(0, start)}${new URL(url).hostname}` : text
}
