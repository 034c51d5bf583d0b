import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ImportRow, StatementImport } from '#services/trading/imports/import-api.ts'
import { type ConflictDecision, conflictDecisionLabels } from '#services/trading/imports/import-vocabulary.ts'
import { ObservationDifference } from '@/features/trading/observations/observation-difference.tsx'
import { counted, formatCount } from '@/format/counts.ts'
import { Badge } from '@/ui/badge.tsx'
import { Button } from '@/ui/button.tsx'
import { Card } from '@/ui/card.tsx'
import { ErrorState, LoadingLines } from '@/ui/states.tsx'
import { decideConflicts, importRowsQuery } from './import-queries.ts'
import { ReasonDialog } from './reason-dialog.tsx'

interface ConflictsProps {
  readonly found: StatementImport
  readonly mayDecide: boolean
}

/** A conflict or all of them, and what is to become of them. */
interface Choice {
  readonly take: ConflictDecision
  readonly rows: readonly number[] | null
}

const takes = { new: 'Take the new one', known: 'Keep the known one' } as const
const effects = {
  new: 'What the file says replaces what is known, as a correction that the trader sees. The rules are evaluated again.',
  known: 'What is known stays. The import says that it was decided.',
} as const

function openSays(open: number): string {
  if (open === 0) return 'all are decided.'
  return open === 1 ? '1 waits for a decision.' : `${formatCount(open)} wait for a decision.`
}

/** Conflicts of an import: what is known beside what the file says, field by field, until somebody decides. */
export function Conflicts({ found: { id, state, counts, conflictsDecided }, mayDecide }: ConflictsProps) {
  const [choice, setChoice] = useState<Choice>()
  const change = useMutation(decideConflicts)
  const rows = useQuery(importRowsQuery(id, 'conflict'))
  const open = counts.conflict - conflictsDecided
  const isDecidable = mayDecide && (state === 'preview' || state === 'done')
  const of = choice?.rows ? counted(choice.rows.length, 'conflict') : counted(open, 'conflict')
  return (
    <Card title="Conflicts" className="mb-6">
      <p className="mb-4">
        {counts.conflict === 1
          ? `One of its rows is known with other content; ${open > 0 ? 'it waits for a decision.' : 'it is decided.'}`
          : `${formatCount(counts.conflict)} of its rows are known with other content; ${openSays(open)}`}
      </p>
      {isDecidable && open > 1 && (
        <div className="mb-4 flex flex-wrap gap-2">
          <Button look="secondary" onClick={() => setChoice({ take: 'new', rows: null })}>
            Take all {formatCount(open)} new ones
          </Button>
          <Button look="secondary" onClick={() => setChoice({ take: 'known', rows: null })}>
            Keep all {formatCount(open)} known ones
          </Button>
        </div>
      )}
      {rows.isError && !rows.data ? (
        <ErrorState title="The conflicts could not be loaded" error={rows.error} onRetry={rows.refetch} />
      ) : rows.data ? (
        <ul className="flex flex-col gap-4">
          {rows.data.items.map((row) => (
            <li key={row.index} className="border-t border-line pt-4">
              <Conflict
                row={row}
                onChoice={isDecidable ? (take) => setChoice({ take, rows: [row.index] }) : undefined}
              />
            </li>
          ))}
        </ul>
      ) : (
        <LoadingLines lines={3} label="Loading the conflicts" />
      )}
      {choice && (
        <ReasonDialog
          title={`${takes[choice.take]}: ${of}`}
          description={effects[choice.take]}
          submit={takes[choice.take]}
          longest={2_000}
          change={change}
          onReason={(reason) =>
            change.mutate(
              { id, take: choice.take, rows: choice.rows && [...choice.rows], reason },
              { onSuccess: () => setChoice(undefined) },
            )
          }
          onClose={() => setChoice(undefined)}
        />
      )}
    </Card>
  )
}

interface ConflictProps {
  readonly row: ImportRow
  /** Undefined for who may not decide it. */
  readonly onChoice: ((take: ConflictDecision) => void) | undefined
}

function Conflict({ row: { line, reason, row, known, taken }, onChoice }: ConflictProps) {
  return (
    <>
      <p className="mb-2 font-medium">
        Line {line}: {reason}
      </p>
      {row && <ObservationDifference known={known?.observation ?? null} told={toldIn(row)} />}
      <div className="mt-3 flex flex-wrap gap-2">
        {taken !== null ? (
          <Badge tone={taken === 'new' ? 'good' : 'plain'}>{conflictDecisionLabels[taken]}</Badge>
        ) : (
          onChoice && (
            <>
              <Button look="secondary" aria-label={`${takes.new}, line ${line}`} onClick={() => onChoice('new')}>
                {takes.new}
              </Button>
              <Button look="secondary" aria-label={`${takes.known}, line ${line}`} onClick={() => onChoice('known')}>
                {takes.known}
              </Button>
            </>
          )
        )}
      </div>
    </>
  )
}

/** The fields of a row as an observation has them. */
function toldIn(row: NonNullable<ImportRow['row']>): Readonly<Record<string, unknown>> {
  const { line: _line, row: _kind, ...fields } = row
  return fields
}
