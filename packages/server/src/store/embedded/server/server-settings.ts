// The server's settings: for a small host and many small commits, each synced to disk.

import type { Site } from '../site/site.ts'
import { type Endpoint, endpointSettings } from './endpoint.ts'

const defaults: Record<string, string> = {
  cluster_name: 'runwright',
  timezone: 'UTC',

  max_connections: '200',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  random_page_cost: '1.1',

  // Parallel workers use /dev/shm, which is small in containers. Short queries do not gain from them.
  max_parallel_workers_per_gather: '0',
  max_parallel_maintenance_workers: '0',
  max_worker_processes: '4',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  jit: 'off',

  // After a checkpoint, the first change of each page writes the whole page to the log: fewer checkpoints cost less.
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  min_wal_size: '128MB',
  wal_buffers: '16MB',

  // Each step rewrites the run's row: vacuum dead rows often, a few at a time.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.1',

  // Statements and details contain customers' values, which must not get into a log.
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_timezone: 'UTC',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
}

// What was reported as committed must survive a power cut.
const always: Record<string, string> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  logging_collector: 'off',
}

export function serverArguments(site: Site, endpoint: Endpoint, settings: Record<string, string> = {}): string[] {
  const all = { ...defaults, ...settings, ...always, ...endpointSettings(endpoint, site) }
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
