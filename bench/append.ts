import { appendOutcome, IN_FLIGHT, serverOutcome } from './append-run.ts'
import { runChild, startChild } from './children.ts'
import { atLeast, type Figure, type Subject } from './figures.ts'
import { median, ratio, whole } from './statistics.ts'

const APPENDS = 1_920
const ROUNDS = 11
const LEAST = 0.8

/** What our adapter costs beside calling EventStoreDB's client. */
export const append: Subject = {
  name: 'append',
  about: `${whole(APPENDS)} appends through the adapter of EventStoreDB, against calling its client in a bare loop, both on the double`,

  async measure(): Promise<readonly Figure[]> {
    const server = startChild('append-server', {})
    const { url } = await server.said(serverOutcome)
    const { took } = await runChild('append', { url, appends: APPENDS, rounds: ROUNDS }, appendOutcome)
    server.goOn()
    await server.stop()
    const times = (side: string, inFlight: number) => took[`${side} ${inFlight}`] ?? []
    const rate = (side: string, inFlight: number) => `${whole((APPENDS / median(times(side, inFlight))) * 1000)} a second`
    return IN_FLIGHT.flatMap((inFlight) => {
      // The time of the client over ours is our speed over the client's.
      const speed = ratio(times('client', inFlight), times('adapter', inFlight))
      return [
        { what: `speed, as a share of the client's, ${inFlight} in flight`, value: speed.text, target: atLeast(speed.median, LEAST) },
        { what: '  both', value: `adapter ${rate('adapter', inFlight)}, client ${rate('client', inFlight)}` },
      ]
    })
  },
}
