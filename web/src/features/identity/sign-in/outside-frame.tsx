import { type ReactNode, useEffect } from 'react'
import { Brand } from '@/ui/brand.tsx'
import { Button } from '@/ui/button.tsx'
import { firstField } from '@/ui/first-field.ts'
import { ThemeSwitch } from '@/features/frame/theme-switch.tsx'
import { ErrorState } from '@/ui/states.tsx'

interface SignedOutFrameProps {
  readonly title: string
  /** One line that says what the screen is for. */
  readonly line: ReactNode
  readonly children: ReactNode
  /** Below the card: the way to another screen. */
  readonly below: ReactNode
}

/** The frame of the screens for people who are not signed in. Its first field has the focus at load. */
export function SignedOutFrame({ title, line, children, below }: SignedOutFrameProps) {
  useEffect(() => {
    if (document.activeElement === document.body) firstField()?.focus()
  }, [])
  return (
    <div className="mx-auto flex min-h-dvh max-w-[480px] flex-col px-4 py-4 sm:py-8">
      <header className="flex items-center justify-between">
        <Brand />
        <ThemeSwitch />
      </header>
      <main id="main" tabIndex={-1} data-begins-with-typing className="mt-8 sm:mt-16">
        <h1 tabIndex={-1} className="text-28 font-semibold tracking-tight">
          {title}
        </h1>
        <p className="mt-1 mb-6 text-muted">{line}</p>
        {/* Full width for any content, so that nothing moves when panels change. */}
        <div className="rounded-lg border border-line bg-card p-5 sm:p-6">{children}</div>
        <div className="mt-4 text-center text-muted">{below}</div>
      </main>
    </div>
  )
}

/** Changes to another panel of the same screen. */
export function PanelButton({ onClick, children }: { readonly onClick: () => void; readonly children: string }) {
  return (
    <Button look="quiet" onClick={onClick}>
      {children}
    </Button>
  )
}

/** In place of what a mailed link does, where its token is missing. */
export function IncompleteLink() {
  return (
    <ErrorState className="py-4!" title="Invalid link">
      The link is incomplete. Open it again from the mail.
    </ErrorState>
  )
}
