import type { UseQueryResult } from '@tanstack/react-query'
import { useLocation, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Page } from '@/api/api.ts'
import { formatCount } from '@/format/counts.ts'
import { Button } from '@/ui/button.tsx'
import { FROM_THE_START, useChangeAddress } from './address.ts'
import { ROWS } from './list-query.ts'
import { QueryTable, type QueryTableProps } from './query-table.tsx'

interface ListTableProps<Row extends object> extends Omit<
  QueryTableProps<Row>,
  'query' | 'failure' | 'rows' | 'busy' | 'sort' | 'onSort' | 'footer' | 'focusFirst'
> {
  readonly list: UseQueryResult<Page<Row>>
  /** The name of the counted rows, if not the label: 'decided requests'. */
  readonly what?: string
  /** Shown when the list cannot be loaded, unless it is the label that could not be. */
  readonly failure?: string
  /** The search parameter with the page's cursor. */
  readonly cursor?: 'cursor' | 'pending' | 'history' | 'rows'
  /** Offers other orders and page sizes. */
  readonly adjustable?: boolean
}

/** A page of a list from the server, with its total and its other pages. Page, order and size are in the address. */
export function ListTable<Row extends object>({
  list,
  what,
  failure,
  cursor = 'cursor',
  adjustable = false,
  ...table
}: ListTableProps<Row>) {
  const { label } = table
  const { sort, size = ROWS } = useSearch({ strict: false })
  const change = useChangeAddress()
  const { data } = list
  const isTurned = useRef(false)
  return (
    <QueryTable
      expectedRows={10}
      {...table}
      focusFirst={isTurned}
      rows={data?.items}
      busy={list.isPlaceholderData}
      query={list}
      failure={failure ?? `${label} could not be loaded`}
      {...(adjustable && { sort, onSort: (to: string) => void change({ ...FROM_THE_START, sort: to }) })}
      footer={
        // Below a list of unknown length it would move.
        (data || list.isError) && (
          <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-5 py-2.5">
            <p className="text-13 text-muted" role="status">
              {data && `${formatCount(data.items.length)} of ${totalOf(data)} ${what ?? label.toLowerCase()}`}
            </p>
            <div className="flex flex-wrap items-center gap-2">
              {adjustable && (
                <label className="flex items-center gap-2 text-13 text-muted">
                  Rows per page
                  <select
                    className="h-9 rounded-md border border-edge bg-card px-2 text-14 text-ink"
                    value={size}
                    onChange={({ target }) => void change({ ...FROM_THE_START, size: target.value })}
                  >
                    {[ROWS, '50', '100'].map((one) => (
                      <option key={one}>{one}</option>
                    ))}
                  </select>
                </label>
              )}
              <PageButtons
                parameter={cursor}
                next={data?.next}
                busy={list.isPlaceholderData}
                onTurn={() => (isTurned.current = true)}
              />
            </div>
          </div>
        )
      }
    />
  )
}

function totalOf({ total, totalIsExact }: Pick<Page<unknown>, 'total' | 'totalIsExact'>): string {
  return totalIsExact ? formatCount(total) : `more than ${formatCount(total)}`
}

/** Turns the page of the list that is shown first, if it has another one. */
export function turnPage(to: 'next' | 'previous'): void {
  document.querySelector<HTMLButtonElement>(`[data-page=${to}]`)?.click()
}

function PageButtons({
  parameter,
  next,
  busy,
  onTurn,
}: {
  readonly parameter: 'cursor' | 'pending' | 'history' | 'rows'
  readonly next: string | undefined
  /** The page is being turned. */
  readonly busy: boolean
  readonly onTurn: () => void
}) {
  const present = useSearch({ strict: false })[parameter]
  const earlier = useLocation({ select: ({ state }) => state.earlier?.[parameter] }) ?? []
  const change = useChangeAddress()
  const go = (to: string | undefined, pagesBefore: readonly string[]) => {
    if (busy) return
    onTurn()
    void change(
      { [parameter]: to || undefined },
      { fromTop: true, state: (before) => ({ ...before, earlier: { ...before.earlier, [parameter]: pagesBefore } }) },
    )
  }
  // Everything is on this page.
  if (present === undefined && next === undefined) return null
  return (
    <>
      <Button look="secondary" disabled={present === undefined} onClick={() => go(undefined, [])}>
        First page
      </Button>
      {/* A link to a page in the middle does not know the previous pages. */}
      <Button
        look="secondary"
        data-page="previous"
        disabled={present === undefined || earlier.length === 0}
        onClick={() => go(earlier.at(-1), earlier.slice(0, -1))}
      >
        Previous page
      </Button>
      <Button
        look="secondary"
        data-page="next"
        disabled={next === undefined}
        onClick={() => go(next, [...earlier, present ?? ''])}
      >
        Next page
      </Button>
    </>
  )
}
