import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { shownFirmRoutes } from '#services/identity/firm/shown-firm-api.ts'
import { routeQuery } from '@/api/route-query.ts'
import type { Session } from '@/api/session.ts'
import { firmNow, showFirm } from '@/firm.ts'

/** Shows a change of the firm's name or colours without a reload. The page came with the firm: nothing is read at first. */
export function useFirmUpdates(session: Session): void {
  const { data } = useQuery({
    ...routeQuery(shownFirmRoutes.shownFirm, { session, subjects: ['firm'] }),
    initialData: firmNow,
    staleTime: Infinity,
  })
  useEffect(() => {
    if (data !== firmNow()) showFirm(data)
  }, [data])
}
