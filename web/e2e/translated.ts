/**
 * Runs in a page before its own code: replaces every text as the translators of browsers do, by `<font><font>`, as soon
 * as it appears. A change of a text that was replaced is an error in the console: nobody sees it.
 */
export function translateTexts(): void {
  const replaced = new WeakSet<Node>()
  const translate = (node: Node) => {
    if (node.parentElement?.closest('head, script, style, noscript, textarea, font, svg')) return
    if (node instanceof Text && /\p{L}/u.test(node.data)) {
      const [outer, inner] = [document.createElement('font'), document.createElement('font')]
      inner.textContent = node.data
      outer.append(inner)
      replaced.add(node)
      node.replaceWith(outer)
    }
    for (const child of [...node.childNodes]) translate(child)
  }
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node.isConnected) translate(node)
  }).observe(document, { childList: true, subtree: true })

  for (const [prototype, name] of [
    [Node.prototype, 'nodeValue'],
    [CharacterData.prototype, 'data'],
  ] as const) {
    const property = Object.getOwnPropertyDescriptor(prototype, name)
    if (!property?.set) throw new Error(`No ${name}`)
    const { set } = property
    Object.defineProperty(prototype, name, {
      ...property,
      set(this: Node, value: string) {
        if (replaced.has(this)) console.error(`A text changed behind its translation: "${this.nodeValue}", "${value}"`)
        set.call(this, value)
      },
    })
  }
}
