import { type Markup, markup, withBreaks } from './safe-html.ts'

/** The content of a mail, from which both its text and its HTML are rendered. */
export interface MailContent {
  readonly subject: string
  readonly body: readonly Block[]
  /** Why the recipient gets this mail. */
  readonly footer: string
}

/** A paragraph, a short table, or the one thing to do next. */
export type Block =
  | string
  | { readonly details: readonly LabelledValue[] }
  | { readonly action: string; readonly link: string }
export type LabelledValue = readonly [label: string, value: string]

/**
 * Stands in a mail's text for the name of the firm, which is put in when the mail is sent. A private character: no text
 * that people read has it.
 */
export const FIRM = '\uE000'

/** In whose name a mail is sent. */
export interface MailBrand {
  readonly title: string
  /** '#1d4ed8', which white text can be read on; null for the app's own. */
  readonly accent: string | null
}

export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** @param to The recipient's full name. */
export function render(to: string, content: MailContent, { title, accent }: MailBrand): RenderedMail {
  const firm = oneLine(title)
  const named = (text: string) => text.replaceAll(FIRM, () => firm)
  const [subject, footer] = [oneLine(named(content.subject)), named(content.footer)]
  const name = presentableName(to)
  const blocks = [name === '' ? 'Hello,' : `Hello ${name},`, ...content.body.map((block) => namedBlock(block, named))]
  return {
    subject,
    text: [firm, ...blocks.map(asText), footer].join('\n\n'),
    html: page(
      subject,
      firm,
      blocks.map((block) => asMarkup(block, accent ?? ACCENT)),
      footer,
    ).source,
  }
}

function namedBlock(block: Block, named: (text: string) => string): Block {
  if (typeof block === 'string') return named(block)
  return 'details' in block ? block : { ...block, action: named(block.action) }
}

/** A name or number within a line. It cannot begin a new line. */
export const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/** The longest name that a mail repeats: a sentence is none. */
const LONGEST_NAME = 60

/**
 * A person's name for a mail. People choose it themselves, and could send mails in our name with it: a name that holds
 * a link, an address or a sentence is left out, and nothing in it breaks a line or changes the direction of writing.
 */
export function presentableName(name: string): string {
  const text = oneLine(name.replaceAll(/\p{Cf}+/gu, ''))
  const holdsLink = /:\/\/|@|\bwww\.|[\p{L}\p{N}-]\.\p{L}{2,}/iu.test(text)
  return holdsLink || text.length > LONGEST_NAME ? '' : text
}

/** Free text, which may have several lines. */
const lines = (text: string) =>
  text
    .split(/\r\n?|\n/)
    .map(oneLine)
    .join('\n')
    .trim()

function asText(block: Block): string {
  if (typeof block === 'string') return lines(block)
  if ('details' in block) return block.details.map(([label, value]) => `${label}: ${lines(value)}`).join('\n')
  return `${block.action}:\n${oneLine(block.link)}`
}

// Mail programs know little CSS and no style sheets: tables, and styles on each element.
const FONT = "font-family:Geist,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const TEXT = `${FONT};font-size:14px;line-height:22px;color:#16181d`
const QUIET = `${FONT};font-size:12px;line-height:18px;color:#565c68`
const LINE = 'border-top:1px solid #e2e5ea'
const ACCENT = '#4338ca'
const button = (accent: string) =>
  [
    `display:inline-block;padding:10px 16px;border-radius:8px;background-color:${accent}`,
    `${FONT};font-size:14px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none`,
  ].join(';')
const BARE = markup`cellpadding="0" cellspacing="0" border="0"`
/** A table for layout only: screen readers skip it. */
const LAYOUT = markup`role="presentation" width="100%" ${BARE}`

function asMarkup(block: Block, accent: string): Markup {
  if (typeof block === 'string') return row(markup`<p style="margin:0;${TEXT}">${withBreaks(lines(block))}</p>`)
  if ('details' in block) return row(markup`<table ${BARE} width="100%">\n${block.details.map(valueRow)}\n</table>`)
  const link = oneLine(block.link)
  return row(markup`<a href="${link}" style="${button(accent)}">${block.action}</a>
<p style="margin:12px 0 0;word-break:break-all;${QUIET}">If the button does not work, open this address: ${link}</p>`)
}

function valueRow([label, value]: LabelledValue): Markup {
  return markup`<tr>
<th scope="row" align="left" valign="top" style="padding:8px 16px 8px 0;${LINE};font-weight:400;${QUIET}">${label}</th>
<td valign="top" style="padding:8px 0;${LINE};${TEXT}">${withBreaks(lines(value))}</td>
</tr>`
}

const row = (content: Markup) => markup`<tr><td style="padding:0 0 16px">${content}</td></tr>`

function page(subject: string, firm: string, blocks: readonly Markup[], why: string): Markup {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0;background-color:#f7f8fa">
<table ${LAYOUT} style="background-color:#f7f8fa"><tr><td align="center" style="padding:24px 12px">
<table ${LAYOUT} style="max-width:560px">
<tr><td style="padding:0 4px 12px;${FONT};font-size:16px;line-height:24px;font-weight:600;color:#16181d">${firm}</td></tr>
<tr><td style="padding:24px 24px 8px;border:1px solid #e2e5ea;border-radius:10px;background-color:#ffffff">
<table ${LAYOUT}>
${blocks}
</table>
</td></tr>
<tr><td style="padding:12px 4px 0;${QUIET}">${why}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** '3 March 2026, 14:07 UTC': the reader's time zone is unknown. */
export function moment(at: number): string {
  return `${day.format(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`
}
