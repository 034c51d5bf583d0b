import type { Response } from 'express'
import type { AdminCaller } from '#services/framework/http/caller.ts'
import type { Context } from '#services/event-sourcing/codec/metadata.ts'
import { sendCsv } from '#services/framework/http/csv.ts'
import type { IdentityParts } from '#services/identity/parts.ts'
import { adminKeyId } from '#services/framework/ids.ts'
import { adminKeyStreams, downloadList } from '../access-key.ts'
import type { downloadedLists } from '../staff-vocabulary.ts'

/** Rows fetched at once, so that memory stays bounded. */
export const ROWS_AT_ONCE = 500

/** Sends a filtered list as a file. The download is counted and recorded before it begins. */
export function createListDownload({
  repositories,
  throttle,
  now,
}: Pick<IdentityParts['queries'], 'repositories' | 'throttle' | 'now'>) {
  /** The search text may be a person's name, so it is not recorded. */
  const record = async ({ caller, context, query: { status, search } }: Download, list: DownloadedList) => {
    await throttle.attempt(['exportAccessKey', caller.id])
    const download = { list, status: status ?? null, searched: search !== undefined }
    await repositories
      .of(adminKeyStreams)
      .decide(adminKeyId.parse(caller.id), context, (member) => downloadList(member, download))
  }

  return async <Entry>(
    call: Download & { readonly response: Response },
    list: DownloadedList,
    columns: Columns<Entry>,
    pages: Pages<Entry>,
  ) => {
    await record(call, list)
    const name = `${list}-${new Date(now()).toISOString().slice(0, 10)}.csv`
    await sendCsv(call.response, name, Object.keys(columns), rowsOf(pages, columns))
    return undefined
  }
}

interface Download {
  readonly caller: AdminCaller
  readonly context: Context
  readonly query: { readonly status?: string | undefined; readonly search?: string | undefined }
}

type DownloadedList = (typeof downloadedLists)[number]

/** The columns of a table: by its heading, the value of each. */
export type Columns<Entry> = Readonly<Record<string, (entry: Entry) => string>>

/** A list, page by page. */
type Pages<Entry> = (
  cursor: string | undefined,
) => Promise<{ readonly entries: readonly Entry[]; readonly next: string | undefined }>

/** The rows of a list's CSV file, page by page. */
export async function* rowsOf<Entry>(pages: Pages<Entry>, columns: Columns<Entry>): AsyncGenerator<string[][], void> {
  let cursor: string | undefined
  do {
    const { entries, next } = await pages(cursor)
    yield entries.map((entry) => Object.values(columns).map((valueOf) => valueOf(entry)))
    cursor = next
  } while (cursor !== undefined)
}
