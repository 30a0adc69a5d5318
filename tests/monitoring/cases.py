"""Cases for `promtool test rules`: for each alert, series with which it fires and series with which it does not."""

QUEUE = 'queue="cart"'


def queue(metric, values, more=""):
    return f"ticketgate_{metric}{{{QUEUE}{more}}}", values


def rate(per_minute, start=0):
    """A counter that rises for an hour."""
    return f"{start}+{per_minute}x60"


def deaths(values, *reasons):
    return [(f'ticketgate_worker_deaths_total{{upstream="own",reason="{reason}"}}', values) for reason in reasons]


def backend(upstream, errors, requests):
    return [(f'ticketgate_upstream_errors_total{{upstream="{upstream}",reason="refused"}}', rate(errors)),
            (f'ticketgate_upstream_requests_total{{upstream="{upstream}"}}', rate(requests))]


CERTIFICATE = 'ticketgate_tls_certificate_expiry_timestamp_seconds{listener="https",subject="CN=shop"}'

# Ends of workers that are no fault.
HEALTHY_ENDS = ("idle", "max_requests", "reload", "stop")

# Requests wait here while the old process of an upgrade runs one.
WAITS_FOR_OLD = [queue("queue_waiting", "3x60"), queue("queue_in_flight", "0x60"), queue("queue_paused", "0x60"),
                 queue("queue_in_old_process", "1x60")]

# Alert: (minutes until it fires, series with which it fires, the same in which one thing differs and it does not fire).
# A series has one value a minute.
CASES = {
    "TicketgateExclusionViolated": (
        5, [queue("exclusion_violations_total", "0 0 0 1x60")], [queue("exclusion_violations_total", "1x60")]),
    "TicketgateLineBlocked": (
        5, [queue("queue_stalled_seconds", "10+60x60"), queue("queue_in_flight", "8x60"), queue("queue_max_in_flight", "8x60")],
        # One of 8 slots is held for long; the others pass requests on.
        [queue("queue_stalled_seconds", "0.2x60"), queue("queue_oldest_hold_seconds", "10+60x60"), queue("queue_waiting", "9x60"),
         queue("queue_in_flight", "8x60"), queue("queue_max_in_flight", "8x60")]),
    "TicketgateLineWaitsForNoRun": (
        4, [queue("queue_waiting", "3x60"), queue("queue_in_flight", "0x60"), queue("queue_paused", "0x60"),
            queue("queue_in_old_process", "0x60")],
        [queue("queue_waiting", "3x60"), queue("queue_in_flight", "0x60"), queue("queue_paused", "1x60"),
         queue("queue_in_old_process", "0x60")]),
    "TicketgateOldProcessHoldsLine": (3, WAITS_FOR_OLD, [queue("queue_waiting", "3x60"), queue("queue_in_old_process", "0x60")]),
    "TicketgateOldProcessStays": (
        7, [queue("queue_waiting", "0x60"), queue("queue_in_old_process", "1x60")],
        [queue("queue_waiting", "0x60"), queue("queue_in_old_process", "1x4 0x56")]),
    "TicketgateQueuePaused": (17, [queue("queue_paused", "1x60")], [queue("queue_paused", "1x10 0x50")]),
    "TicketgateQueueStands": (
        2, [queue("queue_settling_seconds", "0+60x60")], [queue("queue_settling_seconds", "0 6 0x60")]),
    "TicketgateStoreAway": (
        3, [("ticketgate_cluster_store_up", "1x60"), ("ticketgate_cluster_sure_seconds", "4 0x60")],
        [("ticketgate_cluster_store_up", "1 0 1x60"), ("ticketgate_cluster_sure_seconds", "4x60")]),
    "TicketgateKeeperRefusesReplica": (
        3, [queue("queue_keeper_refuses", "1x60")], [queue("queue_keeper_refuses", "1 0 1 0 1 0x60")]),
    "TicketgateSettingsDiffer": (
        17, [("ticketgate_cluster_settings_differ", "1x60")], [("ticketgate_cluster_settings_differ", "1x10 0x50")]),
    "TicketgateRefusesRequests": (
        8, [queue("queue_rejected_total", rate(10), ',reason="spool_full"')],
        [queue("queue_rejected_total", rate(10), ',reason="draining"'), queue("queue_rejected_total", rate(10), ',reason="refused"')]),
    "TicketgateWaitsAreLong": (
        22, [queue("queue_wait_seconds_bucket", rate(10), ',outcome="admitted",le="10"'),
             queue("queue_wait_seconds_bucket", rate(20), ',outcome="admitted",le="30"'),
             queue("queue_wait_seconds_bucket", rate(20), ',outcome="admitted",le="+Inf"')],
        [queue("queue_wait_seconds_bucket", rate(199), ',outcome="admitted",le="10"'),
         queue("queue_wait_seconds_bucket", rate(200), ',outcome="admitted",le="30"'),
         queue("queue_wait_seconds_bucket", rate(200), ',outcome="admitted",le="+Inf"')]),
    "TicketgateQueueBusy": (
        32, [queue("queue_slot_seconds_total", rate(58)), queue("queue_max_in_flight", "1x60")],
        [queue("queue_slot_seconds_total", rate(58)), queue("queue_max_in_flight", "2x60")]),
    "TicketgateOrphans": (7, [queue("queue_orphaned", "1x60")], [queue("queue_orphaned", "1 1 0 1 1 0 1 1 0 1 1 0")]),
    "TicketgateTimedOutRunsOn": (7, [queue("queue_timed_out", "1x60"), queue("queue_orphaned", "0x60")],
                                 [queue("queue_timed_out", "1 1 0 1 1 0 1 1 0 1 1 0")]),
    "TicketgateSlowClientsHoldSlots": (7, [queue("queue_held_back", "1x60")], [queue("queue_held_back", "0x60")]),
    "TicketgateEndOfWorkUnknown": (
        3, [queue("queue_status_failures_total", "0 0 1x60")], [queue("queue_status_failures_total", "1x60")]),
    "TicketgateWaitsForItself": (
        3, [queue("queue_inside_calls_total", "0 0 1x60", ',how="wait"')],
        [queue("queue_inside_calls_total", "0 0 1x60", ',how="pass"')]),
    "TicketgateBackendFails": (
        # All that goes to one of two fails; the other has forty times its requests, and more that reach no backend.
        11, [*backend("app", 3, 3), *backend("reads", 0, 120), ('ticketgate_http_requests_total{code="2xx"}', rate(900))],
        [*backend("app", 4, 100), *backend("reads", 4, 100)]),
    "TicketgateWorkersDie": (
        # Only the sum of the four is above 3.
        20, deaths(rate(0.06), "exit", "signal", "start_timeout", "protocol"),
        deaths("0 0 1 1 2x60", "exit") + deaths(rate(1), *HEALTHY_ENDS)),
    "TicketgateDown": (3, [('up{job="ticketgate"}', "1 0x60")], [('up{job="another"}', "1 0x60")]),
    "TicketgateRestarts": (
        8, [("ticketgate_line_start_time_seconds", "100 100 200 300 400 400x60")],
        # Three upgrades: three processes, one line.
        [("ticketgate_line_start_time_seconds", "100x60"),
         ('process_start_time_seconds{job="ticketgate"}', "100 100 200 300 400 400x60")]),
    "TicketgateConfigNotLoaded": (
        8, [("ticketgate_config_last_reload_successful", "1 0x60")],
        [("ticketgate_config_last_reload_successful", "1 0 0 1x60")]),
    # The time of the test begins at 0: 12 days, and 20.
    "TicketgateUpgradeFailed": (
        8, [("ticketgate_upgrade_last_successful", "1 0x60")], [("ticketgate_upgrade_last_successful", "1 0 0 1x60")]),
    "TicketgateCertificateEndsSoon": (
        15, [(CERTIFICATE, f"{12 * 86400}x60")], [(CERTIFICATE, f"{20 * 86400}x60")]),
    "TicketgateCertificateEnds": (15, [(CERTIFICATE, "60x60")], [(CERTIFICATE, f"{3 * 86400}x60")]),
    "TicketgateLosesLogLines": (
        3, [('ticketgate_log_dropped_lines_total{log="access"}', "0 0 9x60")],
        [('ticketgate_log_dropped_lines_total{log="access"}', "9x60")]),
    "TicketgateLosesSpans": (
        3, [('ticketgate_trace_spans_dropped_total{reason="full"}', "0 0 9x60")],
        [('ticketgate_trace_spans_dropped_total{reason="full"}', "9x60")]),
    "TicketgateCannotAccept": (
        3, [("ticketgate_accept_failures_total", "0 0 1x60")], [("ticketgate_accept_failures_total", "1x60")]),
    "TicketgateDescriptorsRunOut": (
        8, [('process_open_fds{job="ticketgate"}', "90x60"), ('process_max_fds{job="ticketgate"}', "100x60")],
        [('process_open_fds{job="ticketgate"}', "70x60"), ('process_max_fds{job="ticketgate"}', "100x60")]),
    "TicketgateIdClock": (
        3, [('ticketgate_id_service_refused_total{reason="clock"}', "0 0 1x60")],
        [('ticketgate_id_service_refused_total{reason="token"}', "0 0 1x60")]),
}


# Cases in which only one of several alerts is true: series, the one that fires, and those that do not.
ONLY_ONE = [
    # With `order: arrival` one request runs, and the next one uploads.
    (5, [queue("queue_stalled_seconds", "10+60x60"), queue("queue_waiting", "3x60"), queue("queue_in_flight", "1x60"),
         queue("queue_max_in_flight", "2x60")], "TicketgateLineWaitsForNoRun", ("TicketgateLineBlocked",)),
    (5, WAITS_FOR_OLD, "TicketgateOldProcessHoldsLine", ("TicketgateLineWaitsForNoRun", "TicketgateLineBlocked")),
    # TERM to the old process would end the pause.
    (20, [queue("queue_waiting", "3x60"), queue("queue_paused", "1x60"), queue("queue_in_old_process", "1x60")],
     "TicketgateQueuePaused",
     ("TicketgateOldProcessHoldsLine", "TicketgateOldProcessStays")),
]


def only_one():
    for minutes, series, fires, quiet in ONLY_ONE:
        for name, values in ((fires, series), *((one, series) for one in quiet)):
            expected = [{"labels": "{}", "value": 1}] if name == fires else []
            yield {"interval": "1m", "input_series": [{"series": one, "values": each} for one, each in values],
                   "promql_expr_test": [{"expr": f'count(ALERTS{{alertname="{name}",alertstate="firing"}})',
                                         "eval_time": f"{minutes}m", "exp_samples": expected}]}


def unit_test(name, case):
    """One entry of `tests:`. The expression ALERTS counts alerts, whatever their labels and words."""
    minutes, fires, quiet = case
    alerts = f'count(ALERTS{{alertname="{name}",alertstate="firing"}})'
    for series, expected in ((fires, [{"labels": "{}", "value": 1}]), (quiet, [])):
        yield {"interval": "1m", "input_series": [{"series": one, "values": values} for one, values in series],
               "promql_expr_test": [{"expr": alerts, "eval_time": f"{minutes}m", "exp_samples": expected}]}


def test_file(rules, names):
    cases = [*(one for name in names for one in unit_test(name, CASES[name])), *only_one()]
    return {"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": cases}
