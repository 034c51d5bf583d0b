import { Tokenizer } from 'htmlparser2'

/** Is told of the tags and texts of a document, in their order. What it throws ends the reading. */
interface MarkupHandler {
  /** An element begins. Says whether its attributes are wanted: most are not, and cost time. */
  open(name: string, index: number): boolean
  attribute(name: string, value: string): void
  /** The element has all its attributes. */
  opened(): void
  text(part: string): void
  close(name: string): void
}

/**
 * Reads HTML or XML in one pass. Entities are those of HTML, or the five of XML: none can be declared, and nothing is
 * loaded. The tokenizer of htmlparser2 has no stack, so tags that are not closed cost nothing.
 */
export function readMarkup(text: string, mode: 'html' | 'xml', handler: MarkupHandler): void {
  const xmlMode = mode === 'xml'
  const nameIn = (start: number, end: number): string => {
    const name = text.slice(start, end)
    // Names of XML come with a prefix or without.
    if (xmlMode) return name.slice(name.indexOf(':') + 1)
    return /[A-Z]/.test(name) ? name.toLowerCase() : name
  }
  let [name, isWanted, attribute, value] = ['', false, '', '']
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    { xmlMode, decodeEntities: true, recognizeSelfClosing: xmlMode },
    {
      onopentagname: (start, end) => {
        name = nameIn(start, end)
        isWanted = handler.open(name, start)
      },
      onattribname: (start, end) => {
        if (!isWanted) return
        attribute = nameIn(start, end)
        value = ''
      },
      onattribdata: (start, end) => {
        if (isWanted) value += text.slice(start, end)
      },
      onattribentity: (codePoint) => {
        if (isWanted) value += String.fromCodePoint(codePoint)
      },
      onattribend: () => {
        if (isWanted) handler.attribute(attribute, value)
      },
      onopentagend: () => handler.opened(),
      onselfclosingtag: () => {
        handler.opened()
        if (xmlMode) handler.close(name)
      },
      onclosetag: (start, end) => handler.close(nameIn(start, end)),
      ontext: (start, end) => handler.text(text.slice(start, end)),
      ontextentity: (codePoint) => handler.text(String.fromCodePoint(codePoint)),
      oncdata: (start, end, offset) => {
        if (xmlMode) handler.text(text.slice(start, end - offset))
      },
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  )
  tokenizer.write(text)
  tokenizer.end()
}
