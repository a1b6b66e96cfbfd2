// A watch over what a person has seen, which knows when the page is complete.
import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { SeenWatch } from './seen-watch.ts'

/** Something that the page has not shown yet is on its way. What is read again changes little. */
const isFirstRead = {
  predicate: ({ state }: { readonly state: { readonly status: string } }) => state.status === 'pending',
}

const useIsLoaded = () => {
  const [isLoaded, setLoaded] = useState(document.readyState === 'complete')
  useEffect(() => {
    if (isLoaded) return
    const note = () => setLoaded(true)
    window.addEventListener('load', note)
    return () => window.removeEventListener('load', note)
  }, [isLoaded])
  return isLoaded
}

export const useSeenWatch = (): SeenWatch => {
  const [watch] = useState(() => new SeenWatch())
  const isLoaded = useIsLoaded()
  const isComplete = useIsFetching(isFirstRead) === 0 && isLoaded
  useEffect(() => watch.setPageComplete(isComplete), [watch, isComplete])
  useEffect(() => {
    document.addEventListener('visibilitychange', watch.lookAgain)
    return () => document.removeEventListener('visibilitychange', watch.lookAgain)
  }, [watch])
  return watch
}
