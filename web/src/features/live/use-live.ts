import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Session } from '../../query-client.ts'
import type { Connection } from './connection.ts'
import { checkSession } from './queries.ts'
import { readAgain, readAgainOlder, topicsOf } from './topics.ts'

/**
 * What was read this shortly before changes were heard of counts as new, in ms: page and stream are asked for at the
 * same moment, and nothing should be read twice for that.
 */
const SAME_MOMENT = 1_000

/** What is decided elsewhere is shown here without a reload, as long as the component is there. For the frames around pages. */
export function useLive(session: Session): void {
  const client = useQueryClient()
  useEffect(() => {
    let left = false
    let connection: Connection | undefined
    void import('./connection.ts').then(({ listen }) => {
      if (left) return
      connection = listen({
        changed: (topics) => readAgain(client, session, topics),
        began: (at) => readAgainOlder(client, session, at - SAME_MOMENT),
        unheard: () => readAgain(client, session, topicsOf(session)),
        ended: () => checkSession(client, session),
      })
    })
    return () => {
      left = true
      connection?.close()
    }
  }, [client, session])
}
