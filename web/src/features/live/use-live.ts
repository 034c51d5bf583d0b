import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Session } from '../../query-client.ts'
import { isEnding, onEnding } from '../session/session-queries.ts'

/** Shows changes made elsewhere without a reload while the component is mounted and the session is not ending. For page frames. */
export function useLive(session: Session): void {
  const client = useQueryClient()
  useEffect(() => {
    let stop = listen(client, session)
    const stopWatching = onEnding(() => {
      stop()
      stop = listen(client, session)
    })
    return () => {
      stopWatching()
      stop()
    }
  }, [client, session])
}

function listen(client: QueryClient, session: Session): () => void {
  // The server would refuse a stream that it begins after the session.
  if (isEnding(session)) return () => {}
  let left = false
  let close = () => {}
  void import('./connection.ts').then(({ connectLiveUpdates }) => {
    if (!left) close = connectLiveUpdates(client, session)
  })
  return () => {
    left = true
    close()
  }
}
