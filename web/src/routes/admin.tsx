import { createFileRoute } from '@tanstack/react-router'
import { observedKinds } from '#services/trading/stream/observation-vocabulary.ts'
import { adminRoleQuery } from '@/features/frame/session-queries.ts'
import { lazyPage } from '@/lazy-page.ts'
import { oneOf, optional, type Search, textOf } from '@/search.ts'

/**
 * The administrators' pages, with their navigation. No guard (specification §2): the server's refusal redirects to
 * /auth.
 */
export const Route = createFileRoute('/admin')({
  validateSearch: ({ user, account, form, part, range, rows, only, observed, since, until }: Search) =>
    optional({
      /** What is shown of the account. */
      part: oneOf(part, ['overview', 'performance', 'observations']),
      range: oneOf(range, ['7d', '30d', '90d']),
      /** The page of its trades or observations, and which of them. */
      rows: textOf(rows),
      only: oneOf(only, ['marked']),
      observed: oneOf(observed, observedKinds),
      since: textOf(since),
      until: textOf(until),
      /** The user whose details are open over the page. */
      user: textOf(user),
      /** Which of that user's accounts is shown; the current one by default. */
      account: textOf(account),
      /** The open form about that user. */
      form: oneOf(form, [
        'edit',
        'platform',
        'risk',
        'open-account',
        'close-account',
        'book-entry',
        'enrol',
        'terms',
        'certificate',
        'delete',
        'ban',
        'breached',
        'under-review',
        'active',
      ]),
    }),
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(adminRoleQuery),
  component: lazyPage(() => import('@/features/menu/staff-layout.tsx'), 'StaffLayout'),
})
