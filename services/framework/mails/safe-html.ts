/** HTML that is safe to show. Only the functions of this file create it, so it contains no unescaped text. */
export class Markup {
  constructor(readonly source: string) {}
}

type Piece = string | Markup | readonly Markup[]

/**
 * A template tag for HTML: texts are escaped, in an element or in the quotes of an attribute; markup is inserted as it
 * is.
 */
export function markup(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(parts.reduce((whole, part, index) => whole + sourceOf(pieces[index - 1] ?? '') + part))
}

/** A text whose line breaks are shown: in an element only. */
export function withBreaks(text: string): Markup {
  return new Markup(escape(text).replaceAll('\n', '<br>'))
}

function sourceOf(piece: Piece): string {
  if (typeof piece === 'string') return escape(piece)
  return piece instanceof Markup ? piece.source : piece.map(({ source }) => source).join('\n')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '')
