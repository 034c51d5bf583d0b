declare global {
  interface Window {
    /** What of the page nobody at this window can reach or read, by `watchReach`. */
    outOfReach(): readonly string[]
  }
}

/**
 * Runs in a page before its own code. A dialog or menu of which something cannot be reached or read at this window is an
 * error in the console, which fails the test.
 */
export function watchReach(): void {
  const DIALOGS = '[data-dialog], dialog[open], [role=menu]'
  // The link that skips to the content is shown while it has the focus.
  const CONTROLS = 'button, a[href]:not([href^="#"]), input, select, textarea, [role=menuitem]'
  const TOASTS = '[aria-label^=Notification]'
  /** For screen readers only: of one pixel. */
  const isSeen = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  }
  const wordsOf = (element: Element) =>
    `${element.tagName.toLowerCase()} "${(element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 60)}"`

  const isHit = (element: Element) => {
    // A link may go over several lines.
    const lines = [...element.getClientRects()].sort((one, other) => other.width - one.width)
    const { left, top, right, bottom } = lines[0] ?? element.getBoundingClientRect()
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
    const y = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
    // A toast leaves by itself, or by its button.
    const isOfToast = element.closest(TOASTS) !== null
    const hit = document.elementsFromPoint(x, y).find((one) => isOfToast || !one.closest(TOASTS))
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : []
    return hit !== undefined && [element, ...labels].some((one) => one.contains(hit))
  }
  /** As a finger or a wheel does: by scrolling what can be scrolled. */
  const isReached = (element: Element) =>
    isHit(element) ||
    (['center', 'nearest', 'start', 'end'] as const).some((block) => {
      element.scrollIntoView({ block, inline: 'nearest', behavior: 'instant' })
      // A script also scrolls what hides the rest, which no finger does.
      for (let box = element.parentElement; box; box = box.parentElement)
        if (/hidden|clip/.test(getComputedStyle(box).overflowY)) box.scrollTop = 0
      return isHit(element)
    })

  /** The first box around a text that hides what is outside of it, and the axis on which the text leaves it. */
  const cutBy = (text: Text) => {
    const range = document.createRange()
    range.selectNodeContents(text)
    const own = range.getBoundingClientRect()
    for (let box = text.parentElement; box && box !== document.documentElement; box = box.parentElement) {
      const { overflowX, overflowY, textOverflow, position } = getComputedStyle(box)
      // It may be scrolled, or it is short on purpose and says all of it elsewhere.
      if (/auto|scroll/.test(overflowX + overflowY) || textOverflow === 'ellipsis') return undefined
      const { left, right, top, bottom, width } = box.getBoundingClientRect()
      // Only a screen reader tells it.
      if (width <= 1) return undefined
      const isWide = own.left < left - 1 || own.right > right + 1
      const isHigh = own.top < top - 1 || own.bottom > bottom + 1
      if ((/hidden|clip/.test(overflowX) && isWide) || (/hidden|clip/.test(overflowY) && isHigh)) return box
      // A button's text that sticks out of it lies over what is beside it.
      if (box.matches('button, select, a[class*=border]') && isWide) return box
      if (position === 'fixed') return undefined
    }
    return undefined
  }

  const problemsIn = (root: Element): string[] => {
    const before = [...document.querySelectorAll('*')].map((box) => [box, box.scrollTop, box.scrollLeft] as const)
    const controls = [...root.querySelectorAll(CONTROLS)].filter(isSeen)
    const problems = controls.filter((one) => !isReached(one)).map((one) => `out of reach: ${wordsOf(one)}`)
    for (const [box, top, left] of before)
      if (box.scrollTop !== top || box.scrollLeft !== left) box.scrollTo({ top, left, behavior: 'instant' })
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const text = texts.currentNode
      const around = text.parentElement
      if (!(text instanceof Text) || text.data.trim() === '' || !around || !isSeen(around)) continue
      if (around.closest('svg, option, .sr-only, [aria-hidden=true], [inert]')) continue
      const box = cutBy(text)
      if (box) problems.push(`cut off: "${text.data.slice(0, 60)}" by ${box.tagName.toLowerCase()} ${box.className}`)
    }
    return problems
  }
  const topmost = () => [...document.querySelectorAll(DIALOGS)].at(-1)
  // An open menu was looked at when it opened, and follows its button a frame late.
  window.outOfReach = () => (topmost()?.matches('[role=menu]') ? [] : problemsIn(topmost() ?? document.body))

  /** In ms, for a dialog that is still opening. */
  const SETTLED = 1_000
  const checked = new WeakMap<Element, string>()
  let isWaiting = false
  const check = () => {
    isWaiting = false
    const dialog = topmost()
    if (!dialog || checked.get(dialog) === dialog.textContent) return
    checked.set(dialog, dialog.textContent)
    if (problemsIn(dialog).length > 0) setTimeout(() => report(dialog), SETTLED)
  }
  const report = (dialog: Element) => {
    if (topmost() === dialog)
      for (const problem of problemsIn(dialog)) console.error(`${problem}, in ${wordsOf(dialog)}`)
  }
  new MutationObserver(() => {
    if (isWaiting) return
    isWaiting = true
    requestAnimationFrame(() => requestAnimationFrame(check))
  }).observe(document, { childList: true, subtree: true })
}
