import { Component, type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.tsx'
import { ErrorState } from './states.tsx'

/** Stands in place of a part of a page whose code cannot be loaded: a newer version of the app has other files. */

/** Code could not be loaded although the server answers. */
export class CodeMissing extends Error {
  override readonly name = 'CodeMissing'
}

interface PartBoundaryProps {
  readonly instead: ReactNode
  readonly onMissing: () => void
  readonly children: ReactNode
}

/** Keeps a part without its code from taking the page along. Any other failure is the page's, as before. */
export class PartBoundary extends Component<PartBoundaryProps, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {}

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown) {
    if (error instanceof CodeMissing) this.props.onMissing()
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    if (!(error instanceof CodeMissing)) throw error
    return this.props.instead
  }
}

const TITLE = 'This part could not be loaded'
const WHY = 'A newer version of this site may have replaced it. The page stays as it is, and what you typed is kept.'

function NewestVersion() {
  return <Button onClick={() => location.reload()}>Load the newest version</Button>
}

/** In place of a part that stands in the page. */
export function MissingInPage() {
  return (
    <ErrorState title={TITLE} action={<NewestVersion />}>
      {WHY}
    </ErrorState>
  )
}

/**
 * In place of a part that opens over the page. The native dialog is above all others, keeps the focus and gives it back.
 */
export function MissingOverPage({ onClose }: { readonly onClose: () => void }) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
    // Escape closes this, and no dialog below it.
    const keep = (event: KeyboardEvent) => event.key === 'Escape' && event.stopPropagation()
    addEventListener('keydown', keep, { capture: true })
    return () => removeEventListener('keydown', keep, { capture: true })
  }, [])
  return (
    <dialog
      ref={dialog}
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-why`}
      onClose={onClose}
      // A dialog below takes clicks from what is outside it.
      className="pointer-events-auto! m-auto max-w-[min(28rem,calc(100vw-2rem))] animate-appear rounded-lg border border-line bg-card p-5 text-left text-14 font-normal whitespace-normal text-ink shadow-float backdrop:bg-scrim"
    >
      <h2 id={`${id}-title`} className="text-16 font-semibold">
        {TITLE}
      </h2>
      <p id={`${id}-why`} className="mt-2 text-muted">
        {WHY}
      </p>
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button look="secondary" onClick={() => dialog.current?.close()}>
          Close
        </Button>
        <NewestVersion />
      </div>
    </dialog>
  )
}
