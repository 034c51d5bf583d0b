import type { Page } from '../../../api/api.ts'
import { PageFooter } from '../../../ui/data-table.tsx'
import { FROM_THE_START, type PageSize, pageSizes, type Paging, useChangeAddress } from './address.ts'

interface ListFooterProps extends Paging {
  /** What is counted: 'users'. */
  readonly what: string
  readonly page: Page<unknown> | undefined
  /** Undefined when the page has several lists, which have a fixed size. */
  readonly size?: PageSize
}

/** Below a list: its total, its other pages, and the page size. */
export function ListFooter({ what, page, size, ...paging }: ListFooterProps) {
  const change = useChangeAddress()
  return (
    <PageFooter what={what} shown={page?.items.length ?? 0} total={page?.total ?? 0} totalIsExact={page?.totalIsExact ?? true} {...paging}>
      {size !== undefined && (
        <label className="flex items-center gap-2 text-13 text-muted">
          Rows per page
          <select
            className="h-9 rounded-md border border-edge bg-card px-2 text-14 text-ink"
            value={size}
            onChange={(event) => void change({ ...FROM_THE_START, size: event.target.value })}
          >
            {pageSizes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      )}
    </PageFooter>
  )
}
