import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Session } from '../../query-client.ts'
import type { Connection } from './connection.ts'
import { checkSession } from './live-queries.ts'
import { invalidateTopics, topicsOf } from './topics.ts'

/** Shows changes made elsewhere without a reload while the component is mounted. For page frames. */
export function useLive(session: Session): void {
  const client = useQueryClient()
  useEffect(() => {
    let left = false
    let connection: Connection | undefined
    void import('./connection.ts').then(({ connectLiveUpdates }) => {
      if (left) return
      connection = connectLiveUpdates({
        changed: (topics) => invalidateTopics(client, session, topics),
        disconnected: () => invalidateTopics(client, session, topicsOf(session)),
        ended: () => checkSession(client, session),
      })
    })
    return () => {
      left = true
      connection?.close()
    }
  }, [client, session])
}
