import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button } from '../../ui/button.tsx'
import { Brand } from '../../ui/brand.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { ErrorState, Spinner } from '../../ui/states.tsx'

/** Shown while a guard or a page loads. */
export function PendingPage() {
  return (
    <div className="grid min-h-[60dvh] place-items-center">
      <Spinner />
    </div>
  )
}

interface DeadEndProps {
  readonly title: string
  readonly children: string
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
        <p className="mt-2 text-muted">{children}</p>
      </div>
      <div>
        <ButtonLink to="/">Go to the dashboard</ButtonLink>
      </div>
    </main>
  )
}

/** For every address without a page (specification §2). */
export function NotFoundPage() {
  useEffect(() => {
    document.title = '404 Page Not Found · Proofdesk'
  }, [])
  return <DeadEnd title="404 Page Not Found">Did you forget to add the page to the router?</DeadEnd>
}

/** Shown when a page fails: the server is unreachable, or the app has a bug. */
export function ErrorPage({ error }: { readonly error: unknown }) {
  const router = useRouter()
  return (
    <main id="main" tabIndex={-1} className="grid min-h-[60dvh] place-items-center">
      <h1 className="sr-only">This page could not be loaded</h1>
      <ErrorState title="This page could not be loaded" error={error} action={<Button onClick={() => void router.invalidate()}>Try again</Button>} />
    </main>
  )
}
