import type { AccountTimeline, AccountTimelines } from '#services/modules/audit/server/account-timeline.ts'
import type { TimelineEntry } from '#services/modules/audit/server/timeline-entries.ts'
import { sealRoutes } from '../seal-api.ts'
import { auditRoutes } from '#services/modules/audit/audit-api.ts'
import { clientNetwork } from '#services/http/client-network.ts'
import { HttpError } from '#services/http/http-errors.ts'
import { sendBytes } from '#services/http/memory-file.ts'
import { receiptOf } from '#services/proof/event-receipt.ts'
import { isTilePath } from '#services/proof/published-tree.ts'
import { ownTimeline, timelineOf } from '#services/modules/audit/server/timelines.ts'
import type { QueryDependencies, RegisterQuery } from '#services/query/query-dependencies.ts'
import type { Request, Response } from 'express'

const YEAR_SECONDS = 31_536_000
const TEXT = 'text/plain; charset=utf-8'

/** The tree over the log for anyone, as C2SP tlog-tiles, and receipts for those whom an event is about. */
export function registerLogQueries(read: RegisterQuery, timelines: AccountTimelines, parts: QueryDependencies): void {
  const { publishedTree, transparencyLog, attestations, throttle } = parts
  const admit = (request: Request) => throttle.attempt(['logNetwork', clientNetwork(request)])

  read(sealRoutes.logCheckpoint, [], async ({ request, response }) => {
    await admit(request)
    const note = await publishedTree.checkpoint()
    if (note === undefined) throw new HttpError(404, { message: 'Nothing was sealed yet' })
    response.setHeader('Cache-Control', 'public, max-age=5')
    sendBytes(response, TEXT, Buffer.from(await attestations.withCosignatures(note)))
    return undefined
  })

  read(sealRoutes.logTile, [], async ({ params, request, response }) => {
    await admit(request)
    const path = `tile/${params.path}`
    const tile = isTilePath(path) ? await publishedTree.file(path) : undefined
    if (!tile) throw new HttpError(404, { message: 'Tile not found' })
    response.setHeader('Cache-Control', `public, max-age=${YEAR_SECONDS}, immutable`)
    sendBytes(response, 'application/octet-stream', tile)
    return undefined
  })

  const sendReceipt = async (response: Response, timeline: AccountTimeline, entries: readonly TimelineEntry[], number: string): Promise<undefined> => {
    const entry = entries.find((one) => one.number === Number(number))
    if (!entry) throw new HttpError(404, { message: `This account has no event ${number}` })
    const receipt = await receiptOf(entry.stored, transparencyLog)
    if (receipt === undefined) throw new HttpError(404, { message: 'This entry has no receipt yet: new entries are sealed within a few minutes' })
    response.setHeader('Content-Disposition', `attachment; filename="${timeline.userId}-${number}.tlog-proof"`)
    sendBytes(response, TEXT, Buffer.from(receipt))
  }

  read(auditRoutes.ownReceipt, [], async ({ caller, params: { number }, response }) => {
    await throttle.attempt(['receiptTrader', caller.userId])
    const timeline = await ownTimeline(timelines, caller.userId)
    return sendReceipt(response, timeline, timeline.ownEntries, number)
  })

  read(auditRoutes.auditReceipt, [], async ({ caller, params: { id, number }, response }) => {
    await throttle.attempt(['receiptAccessKey', caller.id])
    const timeline = await timelineOf(timelines, id)
    return sendReceipt(response, timeline, timeline.allEntries, number)
  })
}
