import { runChild } from './children.ts'
import { atLeast, type Figure, type Subject } from './figures.ts'
import { BATCHES, mailQueueOutcome } from './mail-queue-run.ts'
import { startServers } from './servers.ts'
import { median, ratio, whole } from './statistics.ts'

const MAILS = 2_000
const ROUNDS = 7
const LEAST = 0.7

/** What our adapter costs beside calling BullMQ. */
export const mailQueue: Subject = {
  name: 'mail-queue',
  about: `${whole(MAILS)} mails queued in Redis, each once and with the checkpoint of its batch, against BullMQ's addBulk of the same jobs in the same batches`,

  async measure(): Promise<readonly Figure[]> {
    const servers = await startServers('redis')
    const { took } = await runChild('mail-queue', { url: servers.urls.redis, mails: MAILS, rounds: ROUNDS }, mailQueueOutcome)
    await servers.stop()
    const times = (side: string, size: number) => took[`${side} ${size}`] ?? []
    const rate = (side: string, size: number) => `${whole((MAILS / median(times(side, size))) * 1000)} a second`
    return BATCHES.flatMap((size) => {
      // The time of the client over ours is our speed over the client's.
      const speed = ratio(times('addBulk', size), times('adapter', size))
      return [
        { what: `speed, as a share of addBulk's, batches of ${size}`, value: speed.text, ...(size > 1 && { target: atLeast(speed.median, LEAST) }) },
        { what: '  both', value: `adapter ${rate('adapter', size)}, addBulk ${rate('addBulk', size)}` },
      ]
    })
  },
}
