import { ButtonLink } from '../../ui/link.tsx'
import { Brand } from '../../ui/brand.tsx'

/** The partners' entrance is for new users only (specification §2). */
export function PartnersPage() {
  return (
    <main id="main" tabIndex={-1} className="mx-auto grid min-h-dvh max-w-md content-center gap-6 px-4 py-12">
      <Brand />
      <div>
        <h1 tabIndex={-1} className="text-28 font-semibold tracking-tight">
          Not possible
        </h1>
        <p className="mt-2 text-muted">It&apos;s not possible since you are already signed up.</p>
      </div>
      <div>
        <ButtonLink to="/">Go to the dashboard</ButtonLink>
      </div>
    </main>
  )
}
