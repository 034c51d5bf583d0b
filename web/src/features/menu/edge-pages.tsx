import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from '@/api/api-error.ts'
import { isReachable, onReachable, useReachability } from '@/api/reachability.ts'
import { useFirmName } from '@/firm.ts'
import { isMissingCode } from '@/lazy-page.ts'
import { Button } from '@/ui/button.tsx'
import { Brand } from '@/ui/brand.tsx'
import { ButtonLink } from '@/ui/link.tsx'
import { ErrorState } from '@/ui/states.tsx'
import { SupportContact } from '@/features/frame/support-contact.tsx'

/**
 * Shown while a guard or a page loads. In a font of the system: the app's own would compete with the code of the page.
 */
export function PendingPage() {
  return (
    <div className="grid min-h-[60dvh] place-items-center">
      <span role="status" className="inline-flex text-muted [font-family:system-ui]">
        <span aria-hidden className="spinner" />
        <span className="sr-only">Loading</span>
      </span>
    </div>
  )
}

interface DeadEndProps {
  readonly title: string
  readonly children: ReactNode
}

/** A page from which only a link leads on. */
export function DeadEnd({ title, children }: DeadEndProps) {
  return (
    <main id="main" tabIndex={-1} className="mx-auto grid min-h-dvh max-w-md content-center gap-6 px-4 py-12">
      <Brand />
      <div>
        <h1 tabIndex={-1} className="text-28 font-semibold tracking-tight">
          {title}
        </h1>
        <div className="mt-2 flex flex-col gap-2 text-muted">{children}</div>
      </div>
      <div>
        <ButtonLink to="/">Go to the dashboard</ButtonLink>
      </div>
    </main>
  )
}

/** For every address without a page (specification §2). */
export function NotFoundPage() {
  const firm = useFirmName()
  useEffect(() => {
    document.title = `404 Page Not Found · ${firm}`
  }, [firm])
  return (
    <DeadEnd title="404 Page Not Found">
      <p>Did you forget to add the page to the router?</p>
      <p>
        Nothing is wrong with your account: the address{' '}
        <span className="font-mono [overflow-wrap:anywhere]">{location.pathname}</span> has no page. Check it for typing
        errors, or begin at the dashboard. <SupportContact />
      </p>
    </DeadEnd>
  )
}

/** Between two loads that nobody asked for, in ms: a page that fails again at once waits for the person. */
const RELOAD_PAUSE = 10_000
let reloadedAt = -RELOAD_PAUSE

/** Whether a page that got no answer should load again: its network may have changed in the middle of the load. */
async function loadsAgain(): Promise<boolean> {
  if (!(await isReachable()) || performance.now() - reloadedAt < RELOAD_PAUSE) return false
  reloadedAt = performance.now()
  return true
}

/** Shown when a page fails: its code or the server cannot be reached, or the app has a bug. */
export function ErrorPage({ error }: { readonly error: unknown }) {
  const router = useRouter()
  const reachability = useReachability()
  const [isTrying, setIsTrying] = useState(false)
  const isCode = isMissingCode(error)
  const isUnanswered = isCode || (error instanceof ApiError && error.status === 0)
  useEffect(() => {
    if (isUnanswered) void loadsAgain().then((again) => (again ? router.invalidate() : undefined))
    return onReachable(() => void router.invalidate())
  }, [isUnanswered, router])
  const retry = async () => {
    setIsTrying(true)
    await router.invalidate()
    setIsTrying(false)
  }
  return (
    <div className="grid min-h-[60dvh] place-items-center">
      <h1 tabIndex={-1} className="sr-only">
        This page could not be loaded
      </h1>
      <ErrorState
        title="This page could not be loaded"
        error={error}
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Button busy={isTrying} onClick={() => void retry()}>
              Try again
            </Button>
            {isCode && reachability === 'reachable' && (
              // A newer version of the app may have other files, which a new document names.
              <Button look="secondary" onClick={() => location.reload()}>
                Load the newest version
              </Button>
            )}
          </span>
        }
      >
        {isCode &&
          (reachability === 'reachable'
            ? 'Its code could not be loaded.'
            : 'It loads by itself when the connection is back.')}
      </ErrorState>
    </div>
  )
}
