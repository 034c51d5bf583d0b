import type { ExpectedRevision, Position } from '#infra/event-store/event-store.ts'
import type { Dependencies } from '#services/portal/composition-root.ts'
import { signEvent } from '#services/event-sourcing/codec/event-authentication.ts'

/** Appends an event of a type that no one here knows, as a newer version of the program would. */
export async function appendUnknownEvent(
  { eventStore, secrets }: Dependencies,
  stream: string,
  expected: ExpectedRevision = 'none',
): Promise<Position> {
  const metadata = JSON.stringify({ version: 1, at: Date.now(), previous: null })
  const event = { id: crypto.randomUUID(), type: 'FromTheFuture', data: '{}', metadata }
  return (
    await eventStore.append(stream, expected, [
      signEvent(secrets.eventKey, stream, expected === 'none' ? 0 : expected + 1, event),
    ])
  ).position
}
