/**
 * The ref of an element in which the focus is never lost: when what has it is removed, as a row is whose session was
 * ended, the page's heading takes it. Without this the keyboard and a screen reader begin at the top of the document.
 */
export function keptFocus(root: HTMLElement): () => void {
  let focused: Element | undefined
  const remember = ({ target }: FocusEvent) => (focused = target instanceof Element ? target : undefined)
  // It went elsewhere: nothing is lost. Where an element is removed, it goes nowhere.
  const forget = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null) focused = undefined
  }
  const observer = new MutationObserver(() => {
    if (!focused || focused.isConnected) return
    focused = undefined
    // A dialog takes the focus itself, and gives it back.
    if (document.activeElement !== document.body || document.querySelector('[data-dialog][data-state=open]')) return
    root.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true })
  })
  root.addEventListener('focusin', remember)
  root.addEventListener('focusout', forget)
  observer.observe(root, { childList: true, subtree: true })
  return () => {
    observer.disconnect()
    root.removeEventListener('focusin', remember)
    root.removeEventListener('focusout', forget)
  }
}
