import { useMutation, useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { TextLink } from '@/ui/link.tsx'
import { PageHeader } from '@/ui/page-header.tsx'
import { programmeVersionQuery } from './programme-queries.ts'
import { type Outcome, publishSeen } from './publication.ts'
import { WhatIfCard } from './what-if.tsx'

interface ReviewProps {
  readonly outcomes: readonly Outcome[]
  readonly onBack: () => void
}

const words: Readonly<Record<Outcome['state'], string>> = {
  saved: 'Saved as a draft',
  published: 'Published',
  'to-see': 'Saved as a draft: traders are enrolled, see below what would become of them',
  failed: 'Not saved',
}

/** What became of programmes that were saved together, and the what-ifs that are to be seen before the rest is published. */
export function Review({ outcomes, onBack }: ReviewProps) {
  const navigate = useNavigate()
  const publish = useMutation(publishSeen)
  const unseen = outcomes.flatMap(({ state, drafted, name }) =>
    state === 'to-see' && drafted ? [{ ...drafted, name }] : [],
  )
  const versions = useQueries({ queries: unseen.map(({ id, version }) => programmeVersionQuery(id, version)) })
  const isSeen = versions.every(({ data }, n) => data?.whatIf?.hash === unseen[n]?.hash && data?.isTrying === false)
  return (
    <>
      <PageHeader
        title="Programmes saved"
        action={
          <>
            <Button look="secondary" onClick={onBack}>
              Go On Writing
            </Button>
            {unseen.length > 0 && (
              <Button
                busy={publish.isPending || !isSeen}
                onClick={() =>
                  publish.mutate(unseen, {
                    onSuccess: () => navigate({ to: '/admin/programmes', ignoreBlocker: true }),
                  })
                }
              >
                {unseen.length === 1 ? 'Publish the Draft' : `Publish ${unseen.length} Drafts`}
              </Button>
            )}
          </>
        }
      >
        What is published never changes. Accounts of earlier versions keep their terms.
      </PageHeader>
      <Card title="Programmes" className="mb-6">
        <ul className="flex flex-col gap-2 text-14">
          {outcomes.map(({ name, state, drafted, problem }, n) => (
            <li key={n} className="flex flex-wrap gap-x-3">
              {drafted ? (
                <TextLink
                  to="/admin/programmes/$id"
                  params={{ id: drafted.id }}
                  search={{ version: String(drafted.version) }}
                >
                  {name}
                </TextLink>
              ) : (
                <span className="font-medium">{name}</span>
              )}
              <span className={state === 'failed' ? 'text-bad' : 'text-muted'}>
                {problem === undefined ? words[state] : `${words[state]}: ${problem}`}
              </span>
            </li>
          ))}
        </ul>
      </Card>
      <div className="flex flex-col gap-6">
        {versions.map(
          ({ data }, n) => data && <WhatIfCard key={n} version={data} title={`What-if of ${unseen[n]?.name ?? ''}`} />,
        )}
      </div>
    </>
  )
}
