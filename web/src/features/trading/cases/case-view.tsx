import type { ReactNode } from 'react'
import type { Case } from '#services/trading/cases/case-api.ts'
import {
  caseOutcomeLabels,
  caseStateLabels,
  caseStateTones,
  caseSubjectLabels,
} from '#services/trading/stream/case-vocabulary.ts'
import { serverNow } from '@/api/server-clock.ts'
import { eventNumber } from '@/format/counts.ts'
import { Badge } from '@/ui/badge.tsx'
import { DescriptionList } from '@/ui/card.tsx'
import { DetailsSection } from '@/ui/details-section.tsx'
import { CopyableId, DateText } from '@/ui/text.tsx'

/** A case as both sides read it. */

export function CaseStateBadge({ state, overdue }: Pick<Case, 'state' | 'overdue'>) {
  return (
    <span className="inline-flex flex-wrap gap-1">
      <Badge tone={caseStateTones[state]}>{caseStateLabels[state]}</Badge>
      {overdue && <Badge tone="bad">Overdue</Badge>}
    </span>
  )
}

const HOUR = 3_600_000

/** "in 2 days", "in 5 hours", or by how much it is over. */
export function DeadlineText({ answerBy }: Pick<Case, 'answerBy'>) {
  if (answerBy === null) return <span className="text-muted">None</span>
  const left = Date.parse(answerBy) - serverNow()
  const hours = Math.ceil(Math.abs(left) / HOUR)
  const span = hours >= 48 ? `${Math.floor(hours / 24)} days` : `${hours} ${hours === 1 ? 'hour' : 'hours'}`
  return (
    <span className="flex flex-col gap-0.5 max-md:items-end">
      <DateText at={answerBy} how="exact" />
      <span className={left < 0 ? 'text-12 text-bad' : 'text-12 text-muted'}>
        {left < 0 ? `${span} late` : `${span} left`}
      </span>
    </span>
  )
}

interface CaseViewProps {
  readonly case: Case
  /** How the writers are called: 'You' and 'Staff', or 'The trader' and 'Staff'. */
  readonly trader: string
  /** Where a file is. */
  readonly fileAddress: (file: string) => string
  readonly children?: ReactNode
}

/** What was decided, what its trader says, what was written, and what was decided in the end. */
export function CaseView({ case: one, trader, fileAddress, children }: CaseViewProps) {
  const { subject, decision, messages, files, text, createdAt } = one
  return (
    <div className="flex flex-col gap-6">
      <DescriptionList
        items={[
          { name: 'Case', value: <CopyableId id={one.id} of="this case" /> },
          { name: 'State', value: <CaseStateBadge state={one.state} overdue={one.overdue} /> },
          { name: 'About', value: subject ? caseSubjectLabels[subject.kind] : 'No decision' },
          ...(subject
            ? [
                {
                  name: 'Decided',
                  value: (
                    <>
                      <DateText at={subject.at} how="exact" /> · entry {eventNumber(subject.event)}
                    </>
                  ),
                },
              ]
            : []),
          ...(subject?.payout ? [{ name: 'Payout', value: <CopyableId id={subject.payout} of="the payout" /> }] : []),
          ...(subject?.notes ? [{ name: 'Reason given', value: subject.notes }] : []),
          ...(one.answerBy ? [{ name: 'Answer by', value: <DeadlineText answerBy={one.answerBy} /> }] : []),
        ]}
      />
      <DetailsSection title="What was written">
        <ol className="flex flex-col gap-3">
          <Message by={trader} at={createdAt} text={text} />
          {messages.map((message, n) => (
            <Message
              key={n}
              by={message.from === 'staff' ? 'Staff' : trader}
              at={message.at}
              text={message.text}
              isAnswer={message.from === 'staff'}
            />
          ))}
          {decision && (
            <Message
              by={`Decision: ${caseOutcomeLabels[decision.outcome]}`}
              at={decision.at}
              text={decision.text}
              isAnswer
            />
          )}
        </ol>
        {decision && decision.events.length > 0 && (
          <p className="mt-2 text-13 text-muted">
            The change is {decision.events.map(eventNumber).join(', ')} in the history.
          </p>
        )}
      </DetailsSection>
      {files.length > 0 && (
        <DetailsSection title="Files">
          <ul className="flex flex-col gap-1 text-14">
            {files.map(({ id, name, size }) => (
              <li key={id} className="[overflow-wrap:anywhere]">
                <a href={fileAddress(id)} download className="underline underline-offset-4">
                  {name}
                </a>{' '}
                <span className="text-12 text-muted">{Math.ceil(size / 1024)} kB</span>
              </li>
            ))}
          </ul>
        </DetailsSection>
      )}
      {children}
    </div>
  )
}

interface MessageProps {
  readonly by: string
  readonly at: string
  readonly text: string
  readonly isAnswer?: boolean
}

function Message({ by, at, text, isAnswer = false }: MessageProps) {
  return (
    <li className={isAnswer ? 'rounded-md bg-sunken p-3' : 'rounded-md border border-line p-3'}>
      <p className="mb-1 flex flex-wrap justify-between gap-x-3 text-12 text-muted">
        <span className="font-medium text-ink">{by}</span>
        <DateText at={at} how="exact" />
      </p>
      <p className="text-14 whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>
    </li>
  )
}
