import type { OversightParts } from '#services/oversight/parts.ts'
import type { Queries } from '#services/framework/module.ts'
import type { Response } from 'express'
import { HttpError } from '#services/framework/http/http-errors.ts'
import { sendBytes } from '#services/framework/http/memory-file.ts'
import { receiptOf } from '#services/proof/event-receipt.ts'
import type { auditRoutes } from '../audit-api.ts'
import type { AccountTimeline, AccountTimelines } from './account-timeline.ts'
import type { TimelineEntry } from './timeline-entries.ts'
import { ownTimeline, timelineOf } from './timelines.ts'

const TEXT = 'text/plain; charset=utf-8'

/** Receipts of events, for those whom they are about and for staff. */
export function receiptQueries(timelines: AccountTimelines, { transparencyLog, throttle }: OversightParts['queries']) {
  const sendReceipt = async (
    response: Response,
    timeline: AccountTimeline,
    entries: readonly TimelineEntry[],
    number: string,
  ): Promise<undefined> => {
    const entry = entries.find((one) => one.number === Number(number))
    if (!entry) throw new HttpError(404, { message: `This account has no event ${number}` })
    const receipt = await receiptOf(entry.stored, transparencyLog)
    if (receipt === undefined)
      throw new HttpError(404, {
        message: 'This entry has no receipt yet: new entries are sealed within a few minutes',
      })
    response.setHeader('Content-Disposition', `attachment; filename="${timeline.id}-${number}.tlog-proof"`)
    sendBytes(response, TEXT, Buffer.from(receipt))
  }

  return {
    ownReceipt: {
      needs: [],
      handle: async ({ caller, params: { number }, response }) => {
        await throttle.attempt(['receiptTrader', caller.userId])
        const timeline = await ownTimeline(timelines, caller.userId, undefined)
        return sendReceipt(response, timeline, timeline.ownEntries, number)
      },
    },

    auditReceipt: {
      needs: [],
      handle: async ({ caller, params: { id, number }, response }) => {
        await throttle.attempt(['receiptAccessKey', caller.id])
        const timeline = await timelineOf(timelines, id)
        return sendReceipt(response, timeline, timeline.allEntries, number)
      },
    },
  } satisfies Partial<Queries<typeof auditRoutes>>
}
