import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { Brand } from '../../ui/brand.tsx'
import { ButtonLink } from '../../ui/link.tsx'
import { ErrorState, Spinner } from '../../ui/states.tsx'

/** While a guard asks or a page is loaded. */
export function PendingPage() {
  return (
    <div className="grid min-h-[60dvh] place-items-center">
      <Spinner />
    </div>
  )
}

/** For every address that no page has (specification §2). */
export function NotFoundPage() {
  useEffect(() => {
    document.title = '404 Page Not Found · Proofdesk'
  }, [])
  return (
    <main id="main" tabIndex={-1} className="mx-auto grid min-h-dvh max-w-md content-center gap-6 px-4 py-12">
      <Brand />
      <div>
        <h1 tabIndex={-1} className="text-28 font-semibold tracking-tight">
          404 Page Not Found
        </h1>
        <p className="mt-2 text-muted">Did you forget to add the page to the router?</p>
      </div>
      <div>
        <ButtonLink to="/">Go to the dashboard</ButtonLink>
      </div>
    </main>
  )
}

/** When a page can't be shown: the server is away, or a fault of ours. */
export function ErrorPage({ error }: { readonly error: unknown }) {
  const router = useRouter()
  return (
    <main id="main" tabIndex={-1} className="grid min-h-[60dvh] place-items-center">
      <h1 className="sr-only">This page could not be loaded</h1>
      <ErrorState title="This page could not be loaded" action={<Button onClick={() => void router.invalidate()}>Try again</Button>}>
        {messageOf(error, 'Please try again in a moment.')}
      </ErrorState>
    </main>
  )
}
