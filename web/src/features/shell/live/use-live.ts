import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Session } from '@/api/session.ts'
import { useStore } from '@/use-store.ts'
import { endingSessions } from '@/features/identity/sign-in/session-queries.ts'
import { connectLiveUpdates } from './connection.ts'

/**
 * Shows changes made elsewhere without a reload while the component is mounted and the session is not ending. For page
 * frames.
 */
export function useLive(session: Session): void {
  const client = useQueryClient()
  const isEnding = useStore(endingSessions).includes(session)
  useEffect(() => {
    // The server would refuse a stream that it begins after the session.
    if (isEnding) return
    return connectLiveUpdates(client, session)
  }, [client, session, isEnding])
}
